"""The revisions, oldest first by their number.

They stay apart although nothing is released yet: people run heads, and a database of any of them opens. With a release
they may begin anew as one, as `0016` did, if the release before it takes everybody up to where that begins.
"""
