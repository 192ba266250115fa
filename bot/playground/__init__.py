"""A Discord-compatible server and a chat page, for trying Selfroom without an account.

`server.Playground` runs it all on one port of this machine. Beside Discord's own REST (`/api/v10`), gateway
(`/gateway`) and CDN (`/cdn`) it answers:

    GET    /playground                      ids, addresses, the first person's and the bot's token
    GET    /playground/people               everyone with a token; POST {name, guild_id?, manager?} makes one
    PATCH  /playground/people/{id}          {name?, locale?}: how they are called, what language they read
    POST   /playground/guilds               {name, owner_id?}: a server with the channel `general`
    POST   /playground/bots                 {name, guild_id?, permissions?, flags?}: an application, invited
    PUT    /playground/guilds/{id}/members/{user_id}   {permissions?}: a person joins, a bot is invited
    POST   /playground/clock                {advance}: seconds to go forward
    POST   /playground/faults               trouble on request (see `faults` and `gateway.trouble`); GET, DELETE
    GET    /playground/stats                requests by route and status, routes that nobody knows
"""
