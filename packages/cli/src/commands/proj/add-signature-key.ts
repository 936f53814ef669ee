import { defineProjectChange, refusal, withSpec } from "./change-project.ts";
import { readKeyId } from "./project-flags.ts";

export default defineProjectChange({
  usage: "PROJECT KEY-ID",
  help: "Demand that commits are signed with this key, or another of the project.",
  arity: [1, 1],
  change(project, { args: [text = ""] }) {
    const keyID = readKeyId(text);
    const old = project.spec.signatureKeys ?? [];
    if (old.some((one) => one.keyID === keyID))
      throw refusal("Specified signature key is already defined in project");
    return { project: withSpec(project, { signatureKeys: [...old, { keyID }] }) };
  },
});
