"""The spiders: italy."""
