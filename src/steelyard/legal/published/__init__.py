"""The definitions of published scores as the scripts of their authors compute them, misreadings included."""
