"""Code that several solvers share: steps, line searches, losses, results, checks of arguments."""
