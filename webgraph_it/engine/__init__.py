"""Every part that Scrapy calls: what must be there when a crawl starts, and the commands."""
