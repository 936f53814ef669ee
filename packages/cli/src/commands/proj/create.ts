import { defineCommand } from "../../command.ts";
import { describedFlags, describeProject } from "./described-project.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "Create a project.",
  examples: [
    "capstan proj create web --src https://git.example/web.git --dest https://kubernetes.default.svc,web-*",
    "capstan proj create -f project.yaml",
  ],
  argument: "none",
  arity: [0, 1],
  flags: {
    ...describedFlags,
    upsert: { kind: "boolean", help: "Change a project that is there already" },
  },
  async run({ args: [name], flags, io, api }) {
    const project = await describeProject({ name, flags }, io);
    await (await api()).call("createProject", { project, upsert: flags.upsert ?? false });
    io.out(`project '${project.metadata.name}' created\n`);
    return 0;
  },
});
