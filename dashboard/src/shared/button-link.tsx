import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Props = ButtonProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & { ref?: Ref<HTMLAnchorElement> };

/** A link of the router that looks like a button: it leads somewhere, and changes nothing. */
export const ButtonLink = createLink((props: Props) => <Button component="a" variant="default" {...props} />);
