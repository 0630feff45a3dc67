"""What several ops of the graph dialect share: windows, gates, elementwise bases."""
