import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is too narrow for a table of many columns. */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
}
