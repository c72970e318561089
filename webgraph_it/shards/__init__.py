"""A crawl's files: their formats, the double-buffered writer, readers."""
