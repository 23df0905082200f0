# Offers of $1 those that begin with $cur.
_coolspan_offer()
{
  local word
  for word in $1; do
    [[ $word != "$cur"* ]] || COMPREPLY+=("$word")
  done
}

# Files or folders that begin with $cur. $1: -f or -d.
_coolspan_offer_paths()
{
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    COMPREPLY+=("$path")
  done < <(compgen "$1" -- "$cur")
}

# $1: as of _coolspan_values.
_coolspan_offer_values()
{
  local kind list words prefix=''
  read -r kind list words <<<"$(_coolspan_values "$1")"
  case $kind in
    files) _coolspan_offer_paths -f ;;
    folders) _coolspan_offer_paths -d ;;
  esac
  if [[ $list == list && $cur == *,* ]]; then
    prefix=${cur%,*},
    cur=${cur##*,}
  fi
  _coolspan_offer "$words"
  if [[ -n $prefix ]]; then
    COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
    cur=$prefix$cur
  fi
  # Another value of the list, or the argument after a colon, may follow.
  if [[ $list == list || ${COMPREPLY[0]-} == *: ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

_coolspan()
{
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT}
  local words cur subcommand options option i arguments=0
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=('')
  cur=${words[-1]}
  if ((${#words[@]} < 3)); then
    _coolspan_offer "$(_coolspan_options '')"
    return
  fi
  subcommand=${words[1]}
  options=" $(_coolspan_options "$subcommand") "
  option=${words[-2]}
  if [[ $cur == --*=* ]]; then
    option=${cur%%=*}
    cur=${cur#*=}
    _coolspan_offer_values "$subcommand $option"
  elif [[ $option == --* && $options == *" $option= "* ]]; then
    _coolspan_offer_values "$subcommand $option"
  elif [[ $cur == -* ]]; then
    _coolspan_offer "${options//= / }"
  else
    for ((i = 2; i < ${#words[@]} - 1; ++i)); do
      if [[ ${words[i]} != --* ]]; then
        ((++arguments))
      elif [[ $options == *" ${words[i]}= "* ]]; then
        ((++i))
      fi
    done
    _coolspan_offer_values "$subcommand $arguments"
  fi
  # To bash, a colon begins a word.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    for ((i = 0; i < ${#COMPREPLY[@]}; ++i)); do
      COMPREPLY[i]=${COMPREPLY[i]#"${cur%"${cur##*:}"}"}
    done
  fi
}

complete -F _coolspan coolspan
