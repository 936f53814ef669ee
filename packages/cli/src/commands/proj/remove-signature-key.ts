import { defineProjectChange, refusal, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT KEY-ID",
  help: "Take a key from those that commits may be signed with.",
  arity: [1, 1],
  change(project, { args: [text = ""] }) {
    const old = project.spec.signatureKeys ?? [];
    const signatureKeys = old.filter(({ keyID }) => keyID !== text && !text.endsWith(keyID));
    if (signatureKeys.length === old.length)
      throw refusal("Specified signature key is not configured for project");
    return { project: withSpec(project, { signatureKeys }) };
  },
});
