"""Bytes → links: one table from media type to extractor, one small module per document type."""
