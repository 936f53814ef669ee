import type { ParameterAnnouncement } from "@capstan/model";

/** As it comes over the wire, where what is empty counts as absent. */
type Announced = { [Field in keyof ParameterAnnouncement]-?: NonNullable<ParameterAnnouncement[Field]> };

export function readAnnouncements(announced: readonly Announced[]): ParameterAnnouncement[] {
  return announced.map(
    ({ name, title, tooltip, required, itemType, collectionType, string, array, map, choices }) => ({
      name,
      ...(title === "" ? {} : { title }),
      ...(tooltip === "" ? {} : { tooltip }),
      ...(required ? { required } : {}),
      ...(itemType === "" ? {} : { itemType }),
      ...(collectionType === "" ? {} : { collectionType }),
      ...(string === "" ? {} : { string }),
      ...(array.length === 0 ? {} : { array }),
      ...(Object.keys(map).length === 0 ? {} : { map }),
      ...(choices.length === 0 ? {} : { choices }),
    }),
  );
}
