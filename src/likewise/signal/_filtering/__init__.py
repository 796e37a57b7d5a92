"""Filters along an axis: IIR, rank and Savitzky-Golay filters; trends."""
