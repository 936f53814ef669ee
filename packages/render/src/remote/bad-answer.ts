/** As the cause of a failure: the server is at fault, not the plugin or its source, so that another one may do better. */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
}
