"""Linear systems: state space, discretization, simulation, responses."""
