"""What families of graph ops share: windows, gates, bases of elementwise ops."""
