import { type ParameterAnnouncement, parameterAnnouncementSchema, readNoun } from "@capstan/model";

/** What a dynamic announcement printed: a list of parameters, with null for none. */
export function readAnnouncements(value: unknown): ParameterAnnouncement[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new TypeError("it is not a list");
  return value.map((item) => readNoun(parameterAnnouncementSchema, item));
}
