import { defineWindowSwitch } from "./windows.ts";

export default defineWindowSwitch("Permit syncs by hand while a window forbids others.", "manualSync", true);
