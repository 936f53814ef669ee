import { formatTime } from "@capstan/formats";
import { defineCommand } from "../../command.ts";
import { readClaims } from "../../token-claims.ts";

export default defineCommand({
  usage: "PROJECT ROLE-NAME",
  help: "Make a token that acts as a role of a project, and print it.",
  examples: ["capstan proj role create-token team deploy --expires-in 12h --token-only"],
  argument: "project",
  arity: [2, 2],
  flags: {
    "expires-in": {
      kind: "duration",
      short: "e",
      help: "How long it counts, 12h or 7d; for good unless it is given",
    },
    id: { kind: "string", short: "i", help: "Id; a random one unless it is given", value: "ID" },
    "token-only": { kind: "boolean", short: "t", help: "Print the token alone" },
  },
  async run({ args: [project = "", role = ""], flags, io, api }) {
    const { token } = await (await api()).call("createProjectToken", {
      project,
      role,
      expiresIn: Math.floor((flags["expires-in"] ?? 0) / 1000),
      ...(flags.id ? { id: flags.id } : {}),
    });
    if (flags["token-only"]) io.out(`${token}\n`);
    else {
      const { sub, jti, iat, exp } = readClaims(token);
      io.out(`Create token succeeded for ${sub}.\n`);
      io.out(`  ID: ${jti}\n  Issued At: ${tokenTime(iat)}\n  Expires At: ${tokenTime(exp)}\n`);
      io.out(`  Token: ${token}\n`);
    }
    return 0;
  },
});

/** Seconds since 1970. */
export function tokenTime(seconds: unknown): string {
  return typeof seconds === "number" && seconds > 0 ? formatTime(seconds * 1000) : "Never";
}
