import { type JsonObject, objectAt } from "./json.ts";

/** Labels of the template stand in for missing ones of the object (Job, ReplicationController). */
export function inheritLabels(fields: JsonObject): void {
  const own = objectAt(fields, "metadata", "labels");
  const labels = objectAt(fields, "spec", "template", "metadata", "labels");
  if (!labels || (own && Object.keys(own).length)) return;
  fields.metadata = { ...objectAt(fields, "metadata"), labels };
}
