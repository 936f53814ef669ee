/**
 * The schema of a setting's text among those that the server gives: of its own name, of the beginning with a dot at its
 * end, or of its service's type (`service.slack` for `service.slack.own`).
 */
export function schemaOfSetting(
  schemas: Readonly<Record<string, object>> | undefined,
  setting: string,
): object | undefined {
  return Object.entries(schemas ?? {}).find(
    ([name]) => setting === name || setting.startsWith(name.endsWith(".") ? name : `${name}.`),
  )?.[1];
}
