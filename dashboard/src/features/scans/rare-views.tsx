/** Views of a scan that a visit rarely opens; they are loaded together. */
export { ScanChanges } from './scan-changes';
export { ScanFigures } from './scan-figures';
export { ScanItems } from './scan-items';
