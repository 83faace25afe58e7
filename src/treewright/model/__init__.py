"""Model files: the protocol of components, their files, checkpoints and the registry of kinds."""
