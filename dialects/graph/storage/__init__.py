"""Where values lie: buffers, panels, views, and what is kept beside the program."""
