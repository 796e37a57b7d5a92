"""Filters from specifications: FIR and IIR design, conversions of their forms, responses."""
