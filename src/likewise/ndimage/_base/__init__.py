"""Arguments, borders and dtypes of results, which all functions of images share."""
