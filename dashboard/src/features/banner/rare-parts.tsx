/** Parts of the editor that a visit rarely opens; they are loaded together. */
export { AppearanceFields } from './appearance-fields';
export { BlockingCode } from './blocking-code';
export { BlockingFields } from './blocking-fields';
export { RegionDrawer } from './region-drawer';
export { RuleFields } from './rule-fields';
export { SignalFields } from './signal-fields';
