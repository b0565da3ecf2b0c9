/** The command palette and the list of the project switcher, loaded together for the code that they share. */
export { CommandPalette } from './command-palette';
export { ProjectPicker } from './project-picker';
