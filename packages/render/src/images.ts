/** What brings images of functions, for programs that render nothing else. */
export { functionImages } from "./fetch/function-images.ts";
