import { parseTime } from "@capstan/formats";
import { type Application, annotationKeys } from "@capstan/model";

/** Confirmed since the given time by the deletion-approved annotation. */
export function isApproved(app: Application, since: string): boolean {
  const approved = parseTime(app.metadata.annotations?.[annotationKeys.deletionApproved]);
  const from = parseTime(since);
  return approved !== undefined && from !== undefined && approved >= from;
}
