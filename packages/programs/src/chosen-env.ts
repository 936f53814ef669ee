type Env = Readonly<Record<string, string | undefined>>;

/** The operator's variables with such names. */
export function chosenEnv(operator: Env, names: RegExp): Record<string, string> {
  const chosen = Object.entries(operator).flatMap(([name, value]) =>
    value !== undefined && names.test(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(chosen);
}
