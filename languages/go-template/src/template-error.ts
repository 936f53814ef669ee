/** A template that cannot be read or played, in the words of Go's text/template: `template: name:line:column: …`. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
