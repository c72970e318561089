"""Which URL is next, and when: host queues, seen set, politeness, commit."""
