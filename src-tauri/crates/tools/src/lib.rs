//! What an agent can do on this machine: workspace tools and commands, each held inside its folder.
