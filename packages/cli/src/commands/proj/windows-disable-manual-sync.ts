import { defineWindowSwitch } from "./windows.ts";

export default defineWindowSwitch("Forbid syncs by hand while a window forbids others.", "manualSync", false);
