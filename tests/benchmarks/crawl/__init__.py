"""Pages per second of a whole crawl: ours beside what a user would take instead."""
