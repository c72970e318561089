"""Every part that Scrapy calls: the components, the commands, and the checks before a crawl starts."""
