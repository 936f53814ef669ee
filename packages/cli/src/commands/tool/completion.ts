import { defineCommand, UsageError } from "../../command.ts";
import { completionScripts } from "./completion-scripts.ts";

export default defineCommand({
  usage: "bash|zsh|fish",
  help: "Print a script that completes commands, flags and names of applications in your shell.",
  examples: [
    "source <(capstan completion bash)",
    "source <(capstan completion zsh)",
    "capstan completion fish > ~/.config/fish/completions/capstan.fish",
  ],
  argument: "none",
  arity: [1, 1],
  flags: {},
  async run({ args: [shell = ""], io }) {
    const script = completionScripts[shell];
    if (!script) throw new UsageError(`"${shell}" is none of ${Object.keys(completionScripts).join(", ")}`);
    io.out(script);
    return 0;
  },
});
