"""`werewolf`: some of them are wolves, and kill at night; by day all of them talk, and hang whom most accuse."""
