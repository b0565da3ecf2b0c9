import { TextInput, type TextInputProps } from '@mantine/core';
import Search from 'lucide-react/icons/search';

/** The search field of a page, which `/` focuses. */
export function SearchField(props: TextInputProps) {
  return (
    <TextInput
      size="xs"
      className="search-field"
      autoComplete="off"
      data-search
      leftSection={<Search className="icon" aria-hidden />}
      rightSection={<kbd aria-hidden>/</kbd>}
      {...props}
    />
  );
}
