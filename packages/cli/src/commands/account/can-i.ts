import { defineCommand } from "../../command.ts";

export default defineCommand({
  usage: "ACTION RESOURCE SUBRESOURCE",
  help: "Say whether you may do something. Exit code 0 for yes and for no.",
  examples: ["capstan account can-i sync applications 'default/guestbook'"],
  argument: "none",
  arity: [3, 3],
  flags: {},
  async run({ args: [action = "", resource = "", subresource = ""], io, api }) {
    const { value } = await (await api()).call("canI", { action, resource, subresource });
    io.out(`${value}\n`);
    return 0;
  },
});
