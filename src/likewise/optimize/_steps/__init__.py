"""Parts that several solvers use: steps, searches, losses, results, checks of what users give."""
