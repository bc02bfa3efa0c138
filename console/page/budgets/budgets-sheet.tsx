// The limits over all tasks: what is used of each, what is held until when, and what was used by day and tool.
