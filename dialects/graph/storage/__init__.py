"""Where values lie in memory: buffers, views, packed panels, and the weight store."""
