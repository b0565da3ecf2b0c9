/** Parts of the editor that a visit rarely opens; they are loaded together. */
export { AppearanceFields } from './appearance-fields';
export { BlockingCode } from './blocking-code';
export { BlockingFields } from './blocking-fields';
export { CategoryFields } from './category-fields';
export { History } from './history';
export { PublishDialog } from './publish-dialog';
export { RegionDrawer } from './region-drawer';
export { RuleFields } from './rule-fields';
export { SignalFields } from './signal-fields';
