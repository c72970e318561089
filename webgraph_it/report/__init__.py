"""The kit of our HTML pages: style sheet, SVG, charts, sections."""
