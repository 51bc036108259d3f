extension Never {}
