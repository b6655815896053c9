"""Pages as one HTML file: the frame of all pages, the page of a report, the page of a review."""
