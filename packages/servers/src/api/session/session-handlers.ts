import type { HandlerOf } from "../../call.ts";
import type { Tokens } from "./tokens.ts";

export function logout({ tokens }: { tokens: Tokens }): HandlerOf<"logout"> {
  return async (_request, { user }) => {
    await tokens.revoke(user);
    return {};
  };
}

export function getUserInfo(): HandlerOf<"getUserInfo"> {
  return async (_request, { user }) => {
    if (user.name === "") return { loggedIn: false };
    return {
      loggedIn: true,
      username: user.username ?? user.name,
      iss: user.issuer,
      groups: [...user.groups],
      ...(user.endsAt !== undefined && { expiresAt: user.endsAt }),
    };
  };
}
