/**
 * Go's os.Expand over the build environment: $NAME and ${NAME}; $$ is a dollar sign, an unknown name is empty
 * (Argo CD: pkg/apis/application/v1alpha1 Env.Envsubst).
 */
export function expandEnv(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*|[*#$@!?\-0-9])/g, (whole) => {
    const name = whole.replace(/^\$\{?|\}$/g, "");
    return whole === "$$" ? "$" : (env[name] ?? "");
  });
}
