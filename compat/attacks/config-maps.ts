/** A manifest that does no harm. */
export const fineConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fine\n";

/** One whose metadata is the attack. */
export const configMap = (metadata: object, data: object = { value: "1" }): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
