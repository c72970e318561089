"""Archives: writing beside warcio and fastwarc, and what an archive costs a crawl."""
