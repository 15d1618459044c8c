"""The figures: one display per file, drawn by matplotlib or as SVG for the page."""
